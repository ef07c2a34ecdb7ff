import { openDiskServer } from '../../../tests/support/disk-server.ts'
import { storageSuite } from './storage.suite.ts'

storageSuite('disk', openDiskServer)
