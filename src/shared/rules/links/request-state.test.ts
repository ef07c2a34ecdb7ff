import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hourInMs } from '../format/units.ts'
import { allowsRequests, canFinishUploads, requestState } from './request-state.ts'

const date = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })

it('a request is open until it closes by itself or by hand, whichever is first', () => {
  fc.assert(
    fc.property(date, fc.option(date), date, (closesAt, closedAt, now) => {
      const isClosed = now >= closesAt || (closedAt !== null && now >= closedAt)
      expect(requestState({ closesAt, closedAt }, now)).toBe(isClosed ? 'closed' : 'open')
    }),
  )
})

it('its uploads may finish for exactly an hour longer', () => {
  fc.assert(
    fc.property(date, fc.option(date), date, (closesAt, closedAt, now) => {
      const anHourAgo = new Date(now.getTime() - hourInMs)
      const dates = { closesAt, closedAt }
      expect(canFinishUploads(dates, now)).toBe(requestState(dates, anHourAgo) === 'open')
    }),
  )
})

it('the setting names the tiers that have requests', () => {
  expect([allowsRequests('on', 'free'), allowsRequests('on', 'premium')]).toEqual([true, true])
  expect([allowsRequests('premium', 'free'), allowsRequests('premium', 'premium')]).toEqual([
    false,
    true,
  ])
  expect([allowsRequests('off', 'free'), allowsRequests('off', 'premium')]).toEqual([false, false])
})
