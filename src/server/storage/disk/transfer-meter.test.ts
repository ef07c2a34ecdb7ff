import { expect, it } from 'vitest'
import { AppError } from '../../errors.ts'
import { metered, noMeter } from './transfer-meter.ts'

const open = { destroyed: false, writableFinished: false }
const sent = { destroyed: true, writableFinished: true }
const cut = { destroyed: true, writableFinished: false }
const refused = new AppError('UPLOAD_NOT_FOUND')
const broken = new Error('the disk failed')

it.each([
  ['that was sent is complete', sent, null, 'complete'],
  ['whose connection stays open is complete', open, null, 'complete'],
  ['whose client left is cut', cut, null, 'cut'],
  ['whose client left amid an error is cut', cut, broken, 'cut'],
  ['whose client left amid a refusal is cut', cut, refused, 'cut'],
  ['that was told why is refused', sent, refused, 'refused'],
  ['that the disk broke is failed', open, broken, 'failed'],
])('a transfer %s', async (_, response, error, outcome) => {
  const ended: unknown[][] = []
  const meter = { ...noMeter, ended: (...told: unknown[]) => void ended.push(told) }
  const work = async () => {
    expect(ended).toEqual([])
    if (error) throw error
  }
  const done = metered(meter, 'upload', response, work)
  if (error) await expect(done).rejects.toBe(error)
  else await done
  expect(ended).toEqual([['upload', outcome]])
})
