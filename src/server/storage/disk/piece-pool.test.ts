import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PiecePool } from './piece-pool.ts'
import { transferLimits } from './transfer-limits.ts'

const { burstPieces, bursts, pieceBytes } = transferLimits

it('lends as many pieces as are asked for, but never more than one copy may use', async () => {
  const pool = new PiecePool()
  const pieces = await pool.borrow(2)
  expect(pieces.map(({ length }) => length)).toEqual([pieceBytes, pieceBytes])
  pool.giveBack(pieces)
  expect(await pool.borrow(burstPieces + 1)).toHaveLength(burstPieces)
})

it('lends the same pieces again, but none that is still in use', async () => {
  const pool = new PiecePool()
  const [waiting, free] = await pool.borrow(2)
  if (!waiting || !free) throw new Error('too few pieces')
  pool.giveBack([waiting, free], waiting)
  const again = await pool.borrow(2)
  expect(again).toContain(free)
  expect(again).not.toContain(waiting)
  pool.take(waiting)
  expect(await pool.borrow(1)).toEqual([waiting])
})

it('lets as many borrow at once as allowed, and the others in their order', async () => {
  const pool = new PiecePool()
  const lent = await Promise.all(Array.from({ length: bursts }, () => pool.borrow(1)))
  const served: string[] = []
  const later = ['first', 'second'].map(async (name) => {
    const pieces = await pool.borrow(1)
    served.push(name)
    return pieces
  })
  await nextTurn()
  expect(served).toEqual([])
  pool.giveBack(lent[0] ?? [])
  await nextTurn()
  expect(served).toEqual(['first'])
  pool.giveBack((await later[0]) ?? [])
  await later[1]
  expect(served).toEqual(['first', 'second'])
})

it('keeps no more free pieces than all copies may use, and frees the memory of any other', () => {
  const pool = new PiecePool()
  const most = bursts * burstPieces
  const pieces = Array.from({ length: most + 1 }, () => Buffer.allocUnsafeSlow(16))
  for (const piece of pieces) pool.take(piece)
  expect(pieces.map(({ length }) => length)).toEqual([...Array(most).fill(16), 0])
})
