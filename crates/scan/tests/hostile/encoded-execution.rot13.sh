echo 'yf -yn' | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh
