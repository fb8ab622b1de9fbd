echo 6c73202d6c61 | xxd -r -p | sh
