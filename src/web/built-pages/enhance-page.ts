import { readHint } from '../api/hint-cookie.ts'
import { currentTheme, setTheme, subscribeToTheme } from '../ui/theme.ts'
import { recordKeyPrefix } from '../uploads/records/record-key.ts'

/** Activates the theme button and shows the uploads of a signed-in user. */
export function enhancePage(): void {
  enableThemeButton()
  enableUploadsPanel()
}

function enableThemeButton() {
  const button = document.querySelector('#theme')
  if (button === null) return
  const otherTheme = () => (currentTheme() === 'dark' ? 'light' : 'dark')
  const updateLabel = () => button.setAttribute('aria-label', `Switch to ${otherTheme()} theme`)
  button.addEventListener('click', () => setTheme(otherTheme()))
  subscribeToTheme(updateLabel)
  updateLabel()
}

/** The URL of the script that shows uploads. Replaced at build time. */
declare const uploadsScript: string

/**
 * Loads the uploads panel once a signed-in user has uploads in this browser, including ones started
 * in another tab. Other visitors don't load it.
 */
function enableUploadsPanel() {
  const controller = new AbortController()
  const loadIfNeeded = (keys: readonly (string | null)[]) => {
    if (!keys.some((key) => key?.startsWith(recordKeyPrefix))) return
    if (readHint(document) === null) return
    controller.abort()
    // Our content security policy forbids eval. Zod would otherwise try it once, and the browser
    // would report a violation.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    void import(/* @vite-ignore */ uploadsScript)
  }
  window.addEventListener('storage', ({ key }) => loadIfNeeded([key]), {
    signal: controller.signal,
  })
  try {
    loadIfNeeded(Object.keys(localStorage))
  } catch {
    // localStorage is blocked, so there are no upload records.
  }
}
