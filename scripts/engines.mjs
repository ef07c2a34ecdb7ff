import { isInstalled } from './ceph.mjs'

/** The browser engines besides Chromium in which some stories are played, and Debian's packages. */
export const otherEngines = {
  firefox: { programs: ['firefox-esr'], packages: ['firefox-esr'] },
  webkit: { programs: ['WebKitWebDriver', 'Xvfb'], packages: ['webkit2gtk-driver', 'xvfb'] },
}

/** Tells whether the tests can start an engine. */
export function hasEngine(name) {
  return otherEngines[name].programs.every(isInstalled)
}
