// A zip or a folder that is dropped anywhere on the page is added as a skill.

import { useEffect, useState } from "preact/hooks";
import { Icon } from "../ui/icon";
import { addDropped } from "./import";

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

export function DropZone() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = () => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const move = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      addDropped(event.dataTransfer);
    };
    document.addEventListener("dragenter", enter);
    document.addEventListener("dragleave", leave);
    document.addEventListener("dragover", move);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragenter", enter);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("dragover", move);
      document.removeEventListener("drop", drop);
    };
  }, []);
  if (!over) return null;
  return (
    <div class="drop-zone" data-test="drop-zone">
      <div>
        <Icon name="folder" size={28} />
        <p>Drop a folder or a .zip to add a skill</p>
      </div>
    </div>
  );
}
