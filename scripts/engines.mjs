import { isInstalled } from './ceph.mjs'

/** Browser engines for some stories besides Chromium, with Debian's packages. */
export const otherEngines = {
  firefox: { programs: ['firefox-esr'], packages: ['firefox-esr'] },
  webkit: { programs: ['WebKitWebDriver', 'Xvfb'], packages: ['webkit2gtk-driver', 'xvfb'] },
}

/** Whether tests can start an engine. */
export function hasEngine(name) {
  return otherEngines[name].programs.every(isInstalled)
}
