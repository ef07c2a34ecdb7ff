/**
 * The selector of all fields of a page: what a person types into, and select menus. An input that
 * is a button, a check box, a radio button, a slider or a choice of files is no field.
 */
const fields =
  'input:not([type="button" i], [type="checkbox" i], [type="file" i], [type="radio" i], [type="range" i], [type="reset" i], [type="submit" i]), textarea, select, [contenteditable]:not([contenteditable="false"])'

/** True when `target` is in a field. Text that is dropped or pasted there belongs to the field. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(fields) !== null
}
