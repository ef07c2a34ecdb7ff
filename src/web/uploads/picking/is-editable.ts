/** Fields; the types of input into which nothing is written are none. */
const fields =
  'input:not([type="button" i], [type="checkbox" i], [type="file" i], [type="radio" i], [type="range" i], [type="reset" i], [type="submit" i]), textarea, select, [contenteditable]:not([contenteditable="false"])'

/** Whether text that is dropped on or pasted into `target` is the business of a field. */
export const isEditable = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(fields) !== null
