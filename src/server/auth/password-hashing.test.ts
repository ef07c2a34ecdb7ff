import { scryptSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { getSalt, PasswordHashing, saltFor } from './password-hashing.ts'

const lowCost = { N: 16, r: 1, p: 1 }
const busyError = expect.objectContaining({ code: 'PASSWORDS_BUSY' })

it('stores the salt and scrypt key of the normalized password', async () => {
  const hash = await new PasswordHashing().hash('pass\u0301word', 'a salt', 'client')
  const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
  const key = scryptSync('pas\u015bword', 'a salt', 64, cost).toString('hex')
  expect(hash).toBe(`a salt:${key}`)
  expect(getSalt(hash)).toBe('a salt')
})

it('derives a salt for each address from the secret', () => {
  const salt = saltFor('secret', 'ada@example.org')
  expect(salt).toMatch(/^[\da-f]{32}$/)
  expect(saltFor('secret', 'ada@example.org')).toBe(salt)
  expect(saltFor('secret', 'bob@example.org')).not.toBe(salt)
  expect(saltFor('another', 'ada@example.org')).not.toBe(salt)
})

it('serves clients round-robin, each in order', async () => {
  const passwords = new PasswordHashing(lowCost)
  const completedNames: string[] = []
  const hash = async (client: string, name: string) => {
    await passwords.hash('secret', 'salt', client)
    completedNames.push(name)
  }
  const floodHashPromises = ['f1', 'f2', 'f3', 'f4'].map((name) => hash('flood', name))
  await Promise.all([...floodHashPromises, hash('ada', 'a1'), hash('bob', 'b1'), hash('ada', 'a2')])
  expect(completedNames).toEqual(['f1', 'f2', 'a1', 'b1', 'f3', 'a2', 'f4'])
})

it('rejects a client with 32 queued calls, and all clients at 256', async () => {
  const passwords = new PasswordHashing(lowCost)
  const hash = (client: string) => passwords.hash('secret', 'salt', client)
  const acceptedHashPromises = [hash('0')]
  for (let client = 0; client < 8; client += 1) {
    for (let index = 0; index < 32; index += 1) {
      acceptedHashPromises.push(hash(String(client)))
      if (client === 0 && index === 31) await expect(hash('0')).rejects.toEqual(busyError)
    }
  }
  await expect(hash('another')).rejects.toEqual(busyError)
  await Promise.all(acceptedHashPromises)
  await hash('another')
})

it('continues after a failed hash', async () => {
  const passwords = new PasswordHashing(lowCost)
  const invalidSalt = 7 as unknown as string
  const failedHashPromises = Array.from({ length: 3 }, () =>
    passwords.hash('secret', invalidSalt, 'client'),
  )
  for (const { status } of await Promise.allSettled(failedHashPromises))
    expect(status).toBe('rejected')
  expect(await passwords.hash('secret', 'salt', 'client')).toMatch(/^salt:/)
})
