rm -fr "$HOME"
