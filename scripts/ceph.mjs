import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's Ceph packages, which provide a real S3 server for tests. */
export const cephPackages = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common']

const programs = [
  'radosgw',
  'radosgw-admin',
  'ceph-mon',
  'ceph-osd',
  'ceph',
  'ceph-authtool',
  'monmaptool',
  'setpriv',
]

/** Returns which of the S3 server's programs aren't installed. */
export function missingCephPrograms() {
  return programs.filter((program) => !isInstalled(program))
}

/** True if the program is on the PATH. */
export function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
