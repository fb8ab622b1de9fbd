// A menu behind a button.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  title: string;
  icon?: IconName;
  danger?: boolean;
  checked?: boolean;
  test?: string;
  run: () => void;
}

export function Menu({ title, items, icon = "menu", test }: { title: string; items: readonly MenuItem[]; icon?: IconName; test?: string }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
    const away = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [open]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const entries = [...(box.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? entries.length - 1 : 0;
    if (step > 0) {
      event.preventDefault();
      entries[(at + step) % entries.length]?.focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return (
    <div class="menu" ref={box}>
      <IconButton icon={icon} title={title} aria-haspopup="menu" aria-expanded={open} aria-controls={open ? id : undefined} data-test={test} onClick={() => setOpen(!open)} />
      {open && (
        <div class="menu-list" role="menu" id={id} aria-label={title} onKeyDown={onKeyDown}>
          {items.map((item) => (
            <button
              key={item.title}
              type="button"
              role={item.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={item.checked}
              tabIndex={-1}
              class={item.danger ? "menu-item danger" : "menu-item"}
              data-test={item.test}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.icon && <Icon name={item.checked ? "check" : item.icon} size={16} />}
              {item.title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
