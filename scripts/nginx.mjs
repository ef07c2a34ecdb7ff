import { isInstalled } from './ceph.mjs'

/** The Debian package for nginx, which some tests need. */
export const nginxPackages = ['nginx']

/** True if nginx is installed, so that tests can start it. */
export function hasNginx() {
  return isInstalled('nginx')
}
