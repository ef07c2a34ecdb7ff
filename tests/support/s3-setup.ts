import type { TestProject } from 'vitest/node'
import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { launchRadosgw } from './radosgw.ts'

/**
 * Starts one S3 server for the whole test run, without waiting for it. Each test file creates its
 * own buckets on it.
 */
export default async function setup(project: TestProject) {
  if (missingCephPrograms().length > 0) {
    project.provide('s3Server', null)
    return undefined
  }
  const { server, upPromise, stop } = await launchRadosgw()
  upPromise.catch((error: unknown) => console.error(error))
  project.provide('s3Server', server)
  return stop
}
