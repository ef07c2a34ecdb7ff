import { isInstalled } from './ceph.mjs'

/** Browser engines besides Chromium that some browser tests use, with their Debian packages. */
export const otherEngines = {
  firefox: { programs: ['firefox-esr'], packages: ['firefox-esr'] },
  webkit: { programs: ['WebKitWebDriver', 'Xvfb'], packages: ['webkit2gtk-driver', 'xvfb'] },
}

/** True if the engine's programs are installed. */
export function hasEngine(name) {
  return otherEngines[name].programs.every(isInstalled)
}
