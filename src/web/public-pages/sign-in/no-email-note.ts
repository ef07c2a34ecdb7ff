/**
 * Returns the page's note about whom to ask for help because this server can't send email, or null
 * if it can.
 */
export function readNoEmailNote(): string | null {
  return document.querySelector('#no-email')?.textContent || null
}
