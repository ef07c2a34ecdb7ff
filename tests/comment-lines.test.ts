import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
/** Biome wraps code at this width, but doesn't wrap comments. */
const maxColumns = 100
/** Matches a line that contains only a comment, or starts one in JSX. */
const commentPattern = /^\s*(?:\/\/|\/?\*|\{\/\*)/

/** Returns the location of each comment line that is too long, as 'path:line'. */
function findLongComments(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      commentPattern.test(line) && [...line].length > maxColumns ? [`${path}:${index + 1}`] : [],
    )
}

async function listSourceFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { recursive: true })
  return names.filter((name) => /\.(tsx?|mjs)$/.test(name)).map((name) => join(folder, name))
}

test('no comment line exceeds the limit for code lines', async () => {
  const paths = (
    await Promise.all(['bench', 'scripts', 'src', 'tests'].map(listSourceFiles))
  ).flat()
  const longComments = await Promise.all(
    paths.map(async (path) => findLongComments(path, await readFile(join(root, path), 'utf8'))),
  )
  expect(paths).toContain('tests/comment-lines.test.ts')
  expect(longComments.flat()).toEqual([])
})

test.each([
  ['100 columns', `// ${'a'.repeat(97)}`, []],
  ['101 columns', `// ${'a'.repeat(98)}`, ['a.ts:1']],
  ['100 columns of multibyte characters', `// ${'ä'.repeat(97)}`, []],
  ['101 columns in a block', `/**\n   * ${'a'.repeat(96)}\n   */`, ['a.ts:2']],
  ['101 columns in JSX', `{/* ${'a'.repeat(97)}`, ['a.ts:1']],
  ['a long line of code', `const a = '${'a'.repeat(98)}'`, []],
])('finds %s only if it is a long comment', (_name, text, expectedComments) => {
  expect(findLongComments('a.ts', text)).toEqual(expectedComments)
})
