package main

import "golang.org/x/sys/unix"

const getTermios, setTermios, bytesWaiting = unix.TCGETS, unix.TCSETS, unix.TIOCINQ
