import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFreePort } from './free-port.ts'

/** A real S3 server: a Ceph cluster with one monitor, one OSD and one gateway. */
export interface S3Server {
  /** The server's URL, such as http://127.0.0.1:41234. Bucket names go in the path. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** The users in the cluster, and the daemons that each may access. */
const entities = [
  ['mon.', 'mon'],
  ['client.admin', 'mon', 'osd'],
  ['osd.0', 'mon', 'osd'],
] as const

const startTimeoutMs = 90_000
const execute = promisify(execFile)

/**
 * Starts the server on free ports and in a new directory. Takes about ten seconds. The server runs
 * until `stop` is called or this process ends.
 * @throws the gateway's output if it doesn't start.
 */
export async function startRadosgw(): Promise<S3Server & { stop(): Promise<void> }> {
  const { server, upPromise, stop } = await launchRadosgw()
  try {
    await upPromise
  } catch (error) {
    await stop()
    throw error
  }
  return { ...server, stop }
}

/** Like `startRadosgw`, but doesn't wait. Its clients do, with `waitForGateway`. */
export async function launchRadosgw(): Promise<{
  server: S3Server
  upPromise: Promise<void>
  stop(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-s3-'))
  const processes: ChildProcess[] = []
  const gatewayPort = await findFreePort()
  const server = {
    endpoint: `http://127.0.0.1:${gatewayPort}`,
    region: 'us-east-1',
    accessKeyId: 'mayfly-test',
    secretAccessKey: randomUUID(),
  }
  const upPromise = startCluster(folder, processes, server, gatewayPort)
  const stop = async () => {
    await upPromise.catch(() => {})
    // The data isn't needed anymore, so killing the processes is good enough.
    for (const child of processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exitPromise = once(child, 'exit')
      child.kill('SIGKILL')
      await exitPromise
    }
    await rm(folder, { recursive: true, force: true })
  }
  return { server, upPromise, stop }
}

/** Waits until the gateway responds or `isOver` returns true. Returns whether it is up. */
export async function waitForGateway(endpoint: string, isOver?: () => boolean): Promise<boolean> {
  const signal = AbortSignal.timeout(startTimeoutMs)
  while (!(await fetch(endpoint).catch(() => null))) {
    if (signal.aborted || isOver?.()) return false
    await wait(50)
  }
  return true
}

async function startCluster(
  folder: string,
  processes: ChildProcess[],
  { endpoint, accessKeyId, secretAccessKey }: S3Server,
  gatewayPort: number,
): Promise<void> {
  const cluster = { id: randomUUID(), monitor: await findFreePort(), gateway: gatewayPort }
  const configPath = join(folder, 'ceph.conf')
  const monitorMapPath = join(folder, 'monmap')
  const keyringPath = join(folder, 'keyring')
  await mkdir(join(folder, 'mon'))
  await mkdir(join(folder, 'osd'))
  await writeFile(configPath, buildConfiguration(folder, cluster))

  for (const [entity, ...caps] of entities) {
    const capabilities = caps.flatMap((part) => ['--cap', part, 'allow *'])
    const createFlag = entity === 'mon.' ? ['--create-keyring'] : []
    await execute('ceph-authtool', [
      ...createFlag,
      keyringPath,
      '--gen-key',
      '--name',
      entity,
      ...capabilities,
    ])
  }
  const signal = AbortSignal.timeout(startTimeoutMs)
  const run = (program: string, ...args: string[]) =>
    execute(program, [...args, '--conf', configPath], { signal })
  /** Starts a program that the kernel kills as soon as this process dies. */
  const startDaemon = async (program: string, ...args: string[]) => {
    const log = await open(join(folder, `${program}.out`), 'w')
    const command = ['--pdeathsig', 'KILL', program, '--foreground', '--conf', configPath, ...args]
    const child = spawn('setpriv', command, { stdio: ['ignore', log.fd, log.fd] })
    processes.push(child)
    await log.close()
  }

  const address = `v2:127.0.0.1:${cluster.monitor}`
  await execute('monmaptool', [
    '--create',
    '--fsid',
    cluster.id,
    '--addv',
    'a',
    `[${address}]`,
    monitorMapPath,
  ])
  await run('ceph-mon', '--id', 'a', '--mkfs', '--monmap', monitorMapPath, '--keyring', keyringPath)
  await startDaemon('ceph-mon', '--id', 'a')
  const osdId = randomUUID()
  await run('ceph', 'osd', 'new', osdId, '0')
  await run('ceph-osd', '--id', '0', '--mkfs', '--osd-uuid', osdId)
  await startDaemon('ceph-osd', '--id', '0')
  const userArgs = ['--uid', 'test', '--display-name', 'test']
  const keyArgs = ['--access-key', accessKeyId, '--secret-key', secretAccessKey]
  await run('radosgw-admin', '--name', 'client.admin', 'user', 'create', ...userArgs, ...keyArgs)
  // Comes last, so that everything is ready once it responds.
  await startDaemon('radosgw', '--name', 'client.admin')
  const hasExited = () => processes.some(({ exitCode }) => exitCode !== null)
  if (!(await waitForGateway(endpoint, hasExited))) {
    throw new Error(
      `radosgw did not come up: ${await readFile(join(folder, 'radosgw.out'), 'utf8')}`,
    )
  }
}

function buildConfiguration(
  folder: string,
  { id, monitor, gateway }: { id: string; monitor: number; gateway: number },
): string {
  return `[global]
fsid = ${id}
mon_host = v2:127.0.0.1:${monitor}
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
keyring = ${folder}/keyring
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
mon_data = ${folder}/mon
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 1
mon_data_avail_warn = 1
osd_data = ${folder}/osd
osd_objectstore = bluestore
bluestore_block_size = ${16 * 1024 ** 3}
bluestore_fsck_on_mount = false
osd_memory_target = ${1024 ** 3}
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
rgw_frontends = beast endpoint=127.0.0.1:${gateway}
rgw_data = ${folder}/rgw
run_dir = ${folder}
admin_socket = ${folder}/$name.asok
log_file = ${folder}/$name.log
pid_file =
`
}
