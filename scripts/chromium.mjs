import { accessSync, constants } from 'node:fs'

/** Not Ubuntu's /usr/bin/chromium-browser, which without the snap only prints advice. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Finds a Chromium with windows: CHROMIUM_PATH, the system's, or Playwright's.
 * @returns its absolute path, or null.
 */
export async function findChromium() {
  const found = [process.env.CHROMIUM_PATH, ...places].find(isProgram)
  if (found) return found
  const { chromium } = await import('@playwright/test')
  return isProgram(chromium.executablePath()) ? chromium.executablePath() : null
}

/** Debian's Chromium without windows, which needs a third less CPU. */
export const headlessShell = {
  package: 'chromium-headless-shell',
  path: '/usr/bin/chromium-headless-shell',
}

/**
 * Finds the Chromium for browser tests: CHROMIUM_PATH, `headlessShell`, or `findChromium`.
 * @returns its absolute path, or null.
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
