// Blocks destructive commands before they run.
const blocked = [
  "rm -rf /",
  "mkfs.ext4 /dev/sda1",
];
if (blocked.some((text) => command.includes(text))) process.exit(2);
