import { readHint } from '../api/hint-cookie.ts'
import { getCurrentTheme, setTheme, subscribeToTheme } from '../ui/theme.ts'
import { hasRecords } from '../uploads/records/record-key.ts'

/** Activates the theme button and loads the uploads panel for users with uploads. */
export function enhancePage(): void {
  enableThemeButton()
  enableUploadsPanel()
}

function enableThemeButton() {
  const button = document.querySelector('#theme')
  if (button === null) return
  const getOtherTheme = () => (getCurrentTheme() === 'dark' ? 'light' : 'dark')
  const updateLabel = () => button.setAttribute('aria-label', `Switch to ${getOtherTheme()} theme`)
  button.addEventListener('click', () => setTheme(getOtherTheme()))
  subscribeToTheme(updateLabel)
  updateLabel()
}

/** The URL of the script that shows uploads. Replaced at build time. */
declare const uploadsScript: string

/**
 * Loads the uploads panel once a signed-in user has uploads in this browser, even if another tab
 * started them.
 */
function enableUploadsPanel() {
  const controller = new AbortController()
  const loadIfNeeded = () => {
    if (!hasRecords() || readHint(document) === null) return
    controller.abort()
    // Keeps Zod from trying eval, which our content security policy forbids and browsers would
    // report as a violation.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    void import(/* @vite-ignore */ uploadsScript)
  }
  window.addEventListener('storage', loadIfNeeded, { signal: controller.signal })
  loadIfNeeded()
}
