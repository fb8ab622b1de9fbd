#!/bin/sh
touch started
