import { readdir, readFile } from 'node:fs/promises'
import { getPriority, platform } from 'node:os'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type LogLine, logCollector } from '../../../tests/support/test-log.ts'
import { PasswordHashing } from './password-hashing.ts'

const logged: LogLine[] = []
const log = pino({ level: 'error' }, logCollector(logged))
const quick = { N: 16, r: 1, p: 1 }

const opened: PasswordHashing[] = []
function open(cost?: typeof quick) {
  const passwords = new PasswordHashing(log, cost)
  opened.push(passwords)
  return passwords
}
afterEach(async () => {
  for (const passwords of opened.splice(0)) await passwords.close()
  logged.length = 0
})

/** This is not a string. It makes the thread that hashes it end with an error. */
const deadly = 7 as unknown as string

/**
 * Returns the priority (nice value) of each thread of this process. Linux reports it in field 19 of
 * /proc/[pid]/stat.
 */
async function threadPriorities() {
  const tasks = await readdir('/proc/self/task')
  const stats = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/stat`, 'utf8').catch(() => '')),
  )
  return stats.filter(Boolean).map((stat) => Number(stat.split(') ')[1]?.split(' ')[16]))
}

function codes(answers: PromiseSettledResult<unknown>[]) {
  return answers.map((answer) => (answer.status === 'fulfilled' ? 'hashed' : answer.reason.code))
}

function countOf(values: unknown[], wanted: unknown) {
  return values.filter((value) => value === wanted).length
}

describe('PasswordHashing', () => {
  it('hashes as Better Auth does, and knows the hashes that it made', async () => {
    // The first character is a ligature. In a password it must equal its two letters.
    const password = 'ﬁne pässwörd 😀'
    const passwords = open()
    const ours = await passwords.hash(password)
    expect(ours).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
    expect(await verifyPassword({ hash: ours, password })).toBe(true)

    const theirs = await hashPassword(password)
    expect(await passwords.verify({ hash: theirs, password: password.normalize('NFKC') })).toBe(
      true,
    )
    expect(await passwords.verify({ hash: theirs, password: `${password}!` })).toBe(false)
  })

  it('hashes where Node watches the sources, as it does while somebody works on them', async () => {
    vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1')
    const passwords = open(quick)
    const hash = await passwords.hash('correct horse').finally(() => vi.unstubAllEnvs())
    expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
    expect(await passwords.verify({ hash, password: 'correct horse' })).toBe(true)
  })

  it('gives one password another hash each time', async () => {
    const passwords = open(quick)
    expect(await passwords.hash('twice')).not.toBe(await passwords.hash('twice'))
  })

  it('fails on a stored hash that is none, and goes on', async () => {
    const passwords = open(quick)
    await expect(passwords.verify({ hash: 'damaged', password: 'x' })).rejects.toThrow('damaged')
    const hash = await passwords.hash('x')
    const cut = hash.slice(0, -2)
    expect(await passwords.verify({ hash: cut, password: 'x' })).toBe(false)
    expect(await passwords.verify({ hash, password: 'x' })).toBe(true)
  })

  it('lets 96 wait, 32 of one client, and tells the others when to come back', async () => {
    const passwords = open(quick)
    const ask = (client: string) => passwords.forClient(client, () => passwords.hash('x'))
    const flood = Promise.allSettled(Array.from({ length: 200 }, () => ask('one')))
    const others = Promise.allSettled(Array.from({ length: 63 }, (_, n) => ask(`other ${n}`)))
    expect(codes(await others)).toEqual(Array(63).fill('hashed'))
    const answers = await flood
    // One hash is being computed, and 32 wait.
    expect(countOf(codes(answers), 'hashed')).toBe(33)
    const refused = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(refused.reason).toMatchObject({
      code: 'PASSWORDS_BUSY',
      status: 503,
      headers: { 'retry-after': '5' },
    })
  })

  it('gives a place in a full queue to whoever has none, at the cost of who has the most', async () => {
    const passwords = open(quick)
    const ask = (client: string) => passwords.forClient(client, () => passwords.hash('x'))
    const floods = ['a', 'b', 'c'].map((client) =>
      Promise.allSettled(Array.from({ length: 40 }, () => ask(client))),
    )
    const visitors = await Promise.allSettled(['d', 'e', 'f'].map(ask))
    expect(codes(visitors)).toEqual(['hashed', 'hashed', 'hashed'])
    const hashed = countOf((await Promise.all(floods)).flatMap(codes), 'hashed')
    expect(hashed + visitors.length).toBe(97)
  })

  it('gives way to everything else on Linux, where a thread can', async () => {
    await open(quick).hash('x')
    const own = getPriority()
    const nicer = Math.min(19, own + 5)
    const found = platform() === 'linux' ? await threadPriorities() : [own, nicer]
    expect(new Set(found)).toEqual(new Set([own, nicer]))
  })

  it('answers everybody when its thread dies, and starts another', async () => {
    const passwords = open(quick)
    const hash = await passwords.hash('before')
    const answers = await Promise.allSettled([
      passwords.verify({ hash, password: deadly }),
      passwords.hash('one'),
      passwords.hash('two'),
    ])
    expect(logged.map(({ msg }) => msg)).toEqual(['the password thread failed'])
    expect(codes(answers)).toEqual(['UNAVAILABLE', 'hashed', 'hashed'])
    expect(await passwords.verify({ hash, password: 'before' })).toBe(true)
  })

  it('answers everybody when it is closed, and whoever comes later', async () => {
    const passwords = open()
    const waiting = Promise.allSettled(Array.from({ length: 5 }, () => passwords.hash('x')))
    await passwords.close()
    expect(codes(await waiting)).toEqual(Array(5).fill('UNAVAILABLE'))
    await expect(passwords.hash('later')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('hashes before work that must not wait, once, and only what it was told', async () => {
    const passwords = open(quick)
    const order: string[] = []
    const chosen = { password: 'chosen' }
    const hashes = await passwords.hashedFirst('client', chosen, async () => {
      order.push('work')
      const first = passwords.hash('chosen').then((hash) => {
        order.push('chosen')
        return hash
      })
      const other = passwords.hash('another').then(() => order.push('another'))
      await other
      return [await first, await passwords.hash('chosen')]
    })
    expect(hashes[0]).toBe(hashes[1])
    expect(order).toEqual(['work', 'chosen', 'another'])
    expect(await passwords.verify({ hash: hashes[0] ?? '', password: 'chosen' })).toBe(true)
  })

  it('compares one password with all hashes of one salt at the cost of one', async () => {
    const passwords = open(quick)
    const [salt, password] = ['0123456789abcdef', 'right']
    const right = await passwords.hash(password, salt)
    const wrong = await passwords.hash('wrong', salt)
    const otherSalt = await passwords.hash(password)
    expect(right).toMatch(/^0123456789abcdef:[\da-f]{128}$/)
    const compared = await passwords.hashedFirst('client', { password, salt }, async () => {
      const order: string[] = []
      const compare = async (name: string, hash: string) => {
        if (await passwords.verify({ hash, password })) order.push(name)
      }
      await Promise.all([compare('other salt', otherSalt), compare('right', right)])
      expect(await passwords.verify({ hash: wrong, password })).toBe(false)
      expect(await passwords.verify({ hash: right, password: 'wrong' })).toBe(false)
      return order
    })
    // The password is compared with the hash that is ready before the thread has computed the other
    // one.
    expect(compared).toEqual(['right', 'other salt'])
  })
})
