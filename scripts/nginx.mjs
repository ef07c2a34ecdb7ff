import { isInstalled } from './ceph.mjs'

/** Debian's nginx package, for tests. */
export const nginxPackages = ['nginx']

/** True if tests can start nginx. */
export function hasNginx() {
  return isInstalled('nginx')
}
