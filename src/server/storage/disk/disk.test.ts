import { openDiskServer } from '../../../../tests/support/disk-server.ts'
import { partsSuite } from '../parts.suite.ts'
import { storageSuite } from '../storage.suite.ts'

storageSuite('disk', () => openDiskServer())
partsSuite('disk', () => openDiskServer())
