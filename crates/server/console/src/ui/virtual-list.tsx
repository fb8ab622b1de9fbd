// A long list of which only the visible rows exist. Rows have a fixed height, so nothing shifts.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<T> {
  items: readonly T[];
  rowHeight: number;
  /** The narrowest column; null for a list with one column. */
  columnWidth: number | null;
  gap?: number;
  label: string;
  test: string;
  keyOf: (item: T) => string;
  render: (item: T, index: number) => ComponentChildren;
  /** Shown after the last row. */
  footer?: ComponentChildren;
  /** Another value scrolls to the start. */
  resetKey: string;
}

const OVERSCAN = 6;

export function VirtualList<T>({ items, rowHeight, columnWidth, gap = 0, label, test, keyOf, render, footer, resetKey }: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800, width: 1000 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
      setView((old) => (old.top === top && old.height === height && old.width === width ? old : { top, height, width }));
    };
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      sizes.disconnect();
    };
  }, []);
  const seen = useRef(resetKey);
  useEffect(() => {
    if (seen.current !== resetKey && box.current) box.current.scrollTop = 0;
    seen.current = resetKey;
  }, [resetKey]);
  const columns = columnWidth === null ? 1 : Math.max(1, Math.floor((view.width + gap) / (columnWidth + gap)));
  const step = rowHeight + gap;
  const rows = Math.ceil(items.length / columns);
  const first = Math.max(0, Math.floor(view.top / step) - OVERSCAN);
  const last = Math.min(rows, Math.ceil((view.top + view.height) / step) + OVERSCAN);
  const shown = items.slice(first * columns, last * columns);

  // Arrow keys go from row to row, also to those that do not exist yet.
  const onKeyDown = (event: KeyboardEvent) => {
    const delta = event.key === "ArrowDown" ? columns : event.key === "ArrowUp" ? -columns : event.key === "ArrowRight" && columns > 1 ? 1 : event.key === "ArrowLeft" && columns > 1 ? -1 : 0;
    const at = Number((document.activeElement?.closest("[data-index]") as HTMLElement | null)?.dataset["index"] ?? -1);
    if (delta === 0 || at < 0 || !box.current) return;
    const next = at + delta;
    if (next < 0 || next >= items.length) return;
    event.preventDefault();
    const top = Math.floor(next / columns) * step;
    if (top < box.current.scrollTop) box.current.scrollTop = top;
    if (top + step > box.current.scrollTop + box.current.clientHeight) box.current.scrollTop = top + step - box.current.clientHeight;
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus());
  };

  return (
    <div class="virtual" ref={box} data-test={test} tabIndex={-1} onKeyDown={onKeyDown}>
      <ul class="virtual-rows" aria-label={label} style={{ height: `${Math.max(0, rows * step - gap)}px` }}>
        {shown.map((item, offset) => {
          const index = first * columns + offset;
          const column = index % columns;
          return (
            <li
              key={keyOf(item)}
              class="virtual-row"
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{
                top: `${Math.floor(index / columns) * step}px`,
                height: `${rowHeight}px`,
                insetInlineStart: columns === 1 ? "0" : `calc(${(100 / columns) * column}% + ${(gap * column) / columns}px)`,
                width: columns === 1 ? "100%" : `calc(${100 / columns}% - ${(gap * (columns - 1)) / columns}px)`,
              }}
            >
              {render(item, index)}
            </li>
          );
        })}
      </ul>
      {footer}
    </div>
  );
}
