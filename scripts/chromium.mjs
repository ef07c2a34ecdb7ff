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
 * Finds a whole Chromium: CHROMIUM_PATH, one that the system has, or one that Playwright downloaded.
 * @returns its absolute path, or null if there is none.
 */
export async function findChromium() {
  const found = [process.env.CHROMIUM_PATH, ...places].find(isProgram)
  if (found) return found
  const { chromium } = await import('@playwright/test')
  return isProgram(chromium.executablePath()) ? chromium.executablePath() : null
}

/** Debian's Chromium without windows. Pages run in it as in the whole browser, for a third less work. */
export const headlessShell = {
  package: 'chromium-headless-shell',
  path: '/usr/bin/chromium-headless-shell',
}

/**
 * Finds the Chromium for the stories in the browser: CHROMIUM_PATH, the one without windows, or as
 * `findChromium` does.
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
