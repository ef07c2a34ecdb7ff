import { isInstalled } from './ceph.mjs'

/** Browser engines other than Chromium for some browser tests, with Debian's packages. */
export const otherEngines = {
  firefox: { programs: ['firefox-esr'], packages: ['firefox-esr'] },
  webkit: { programs: ['WebKitWebDriver', 'Xvfb'], packages: ['webkit2gtk-driver', 'xvfb'] },
}

/** True if tests can start the engine. */
export function hasEngine(name) {
  return otherEngines[name].programs.every(isInstalled)
}
