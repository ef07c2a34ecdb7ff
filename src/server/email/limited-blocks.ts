import type { Block } from './email.ts'

const maxListed = 10

/** Returns blocks for the first items, and one that counts the rest. */
export function limitedBlocks<Item>(
  items: readonly Item[],
  toBlock: (item: Item) => Block,
): Block[] {
  const blocks = items.slice(0, maxListed).map((item) => toBlock(item))
  const hiddenCount = items.length - maxListed
  return hiddenCount > 0 ? [...blocks, { kind: 'note', text: `and ${hiddenCount} more` }] : blocks
}
