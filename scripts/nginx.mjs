import { isInstalled } from './ceph.mjs'

/** Debian's package of nginx. Some tests put nginx in front of servers. */
export const nginxPackages = ['nginx']

/** Tells whether the tests can start an nginx. */
export function hasNginx() {
  return isInstalled('nginx')
}
