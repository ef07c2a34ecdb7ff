/**
 * Copies a text by selecting it in a hidden field, and then restores the focus. This is the only
 * way on pages without `navigator.clipboard`, which exists only on HTTPS and localhost.
 */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.setAttribute('aria-hidden', 'true')
  field.style.cssText = 'position:fixed;top:0;left:0;opacity:0'
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return copied
}

/**
 * Puts a text on the clipboard.
 * @throws when the browser refuses.
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch (error) {
    if (!copyBySelection(text)) throw error
  }
}
