import type { TestProject } from 'vitest/node'
import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { startRadosgw } from './radosgw.ts'

/** Starts one S3 server for the whole test run. Each test file creates its own buckets on it. */
export default async function setup(project: TestProject) {
  if (missingCephPrograms().length > 0) {
    project.provide('s3Server', null)
    return undefined
  }
  const { stop, ...server } = await startRadosgw()
  project.provide('s3Server', server)
  return stop
}
