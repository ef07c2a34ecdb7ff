import { accessSync, constants } from 'node:fs'

/** Ubuntu's /usr/bin/chromium-browser is left out: without its snap it only prints an advice. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The Chromium that the browser tests run: the one of CHROMIUM_PATH, one of the system's, or the
 * one that Playwright downloaded for itself.
 * @returns its absolute path, or null where there is none.
 */
export async function findChromium() {
  const found = [process.env.CHROMIUM_PATH, ...places].find(isProgram)
  if (found) return found
  const { chromium } = await import('@playwright/test')
  return isProgram(chromium.executablePath()) ? chromium.executablePath() : null
}

function isProgram(path) {
  if (!path) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
