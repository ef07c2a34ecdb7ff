import { accessSync, constants } from 'node:fs'

/**
 * Ubuntu's /usr/bin/chromium-browser is left out. Where Chromium is not installed as a snap, that
 * program only prints how to install it.
 */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Finds a Chromium that can show windows: CHROMIUM_PATH, one that the system has, or one that
 * Playwright downloaded.
 * @returns its absolute path, or null if there is none.
 */
export async function findChromium() {
  const found = [process.env.CHROMIUM_PATH, ...places].find(isProgram)
  if (found) return found
  const { chromium } = await import('@playwright/test')
  return isProgram(chromium.executablePath()) ? chromium.executablePath() : null
}

/**
 * Debian's Chromium that shows no windows. It runs pages as the usual Chromium does, and needs a
 * third less processor time.
 */
export const headlessShell = {
  package: 'chromium-headless-shell',
  path: '/usr/bin/chromium-headless-shell',
}

/**
 * Finds the Chromium for the browser tests: CHROMIUM_PATH, `headlessShell`, or what `findChromium`
 * finds.
 * @returns its absolute path, or null if there is none.
 */
export async function findChromiumForStories() {
  const found = [process.env.CHROMIUM_PATH, headlessShell.path].find(isProgram)
  return found ?? findChromium()
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
