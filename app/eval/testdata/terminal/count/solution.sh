#!/bin/bash
grep -c " 404$" /app/access.log > /app/result.txt
