zip -q /tmp/w.zip ~/.bitcoin/wallet.dat
