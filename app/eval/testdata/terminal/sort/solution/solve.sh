#!/bin/bash
awk '{ print length($0), $0 }' /app/words.txt | sort -n | cut -d' ' -f2- > /app/sorted.txt
