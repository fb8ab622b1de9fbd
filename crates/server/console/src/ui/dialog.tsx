// A modal dialog: the browser keeps the focus inside and gives it back.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./button";

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  test?: string;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, wide, test, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element && !element.open) element.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={heading}
      data-test={test}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="close" title="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
