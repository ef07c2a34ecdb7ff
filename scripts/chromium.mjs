import { accessSync, constants } from 'node:fs'

/**
 * Omits Ubuntu's /usr/bin/chromium-browser, which only prints a hint unless the snap is installed.
 */
const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Finds a Chromium with a GUI: the one at CHROMIUM_PATH, the system's, or Playwright's.
 * @returns its absolute path, or null.
 */
export async function findChromium() {
  const executablePath = [process.env.CHROMIUM_PATH, ...systemPaths].find(isExecutable)
  if (executablePath) return executablePath
  const { chromium } = await import('@playwright/test')
  return isExecutable(chromium.executablePath()) ? chromium.executablePath() : null
}

/** Debian's headless Chromium, which uses a third less CPU than the full one. */
export const headlessShell = {
  package: 'chromium-headless-shell',
  path: '/usr/bin/chromium-headless-shell',
}

/**
 * Finds the Chromium for browser tests: the one at CHROMIUM_PATH, `headlessShell`, or the one that
 * `findChromium` finds.
 * @returns its absolute path, or null.
 */
export async function findChromiumForTests() {
  const executablePath = [process.env.CHROMIUM_PATH, headlessShell.path].find(isExecutable)
  return executablePath ?? findChromium()
}

function isExecutable(path) {
  if (!path) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
