/**
 * The selector of all elements that a person can type into. An input that is a button or a check
 * box is not one.
 */
const fields =
  'input:not([type="button" i], [type="checkbox" i], [type="file" i], [type="radio" i], [type="range" i], [type="reset" i], [type="submit" i]), textarea, select, [contenteditable]:not([contenteditable="false"])'

/** True when `target` is in a field. Text that is dropped or pasted there belongs to the field. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(fields) !== null
}
