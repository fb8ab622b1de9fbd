su⁠do true
