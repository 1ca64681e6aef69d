/** The whole window takes a file that is dropped on it; what else is dragged is left alone. */

/** @param {(files: File[]) => void} take */
export function onFileDrop(take) {
  const { body } = document;
  const mark = (dropping) => body.toggleAttribute("data-dropping", dropping);
  const withFile = (listener) => (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    listener(event);
  };
  addEventListener("dragover", withFile((event) => {
    event.dataTransfer.dropEffect = "copy";
    mark(true);
  }));
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false); // it left the window, not one of its parts
  });
  addEventListener("drop", withFile(({ dataTransfer }) => {
    mark(false);
    if (dataTransfer.files.length > 0) take([...dataTransfer.files]);
  }));
}
