import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's packages of Ceph, a real S3 server for the tests. */
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

/** Returns the programs of the S3 server that are not installed. */
export function missingCephPrograms() {
  return programs.filter((program) => !isInstalled(program))
}

/** Tells whether a program is on the path. */
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
