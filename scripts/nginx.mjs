import { isInstalled } from './ceph.mjs'

/** Debian's package of nginx, behind which tests put servers. */
export const nginxPackages = ['nginx']

/** Tells whether the tests can start an nginx. */
export function hasNginx() {
  return isInstalled('nginx')
}
