import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/** By URL of a bundled file. Null if the file has no source map. */
const sourceMaps = new Map<string, SourceMap | null>()

/**
 * Returns a stack whose positions in bundled files are those in their sources. Reads a source map
 * when it is first needed: with `--enable-source-maps`, Node would load all of them at startup,
 * which takes 40 MB.
 */
export function toSourceStack(stack: string): string {
  return stack.replaceAll(
    /(file:\/\/\S+?\.js):(\d+):(\d+)/g,
    (position: string, url: string, line: string, column: string) => {
      const entry = getSourceMap(url)?.findEntry(Number(line) - 1, Number(column) - 1)
      if (!entry || !('originalSource' in entry)) return position
      const { originalSource, originalLine, originalColumn } = entry
      return `${new URL(originalSource, url)}:${originalLine + 1}:${originalColumn + 1}`
    },
  )
}

function getSourceMap(url: string): SourceMap | null {
  const known = sourceMaps.get(url)
  if (known !== undefined) return known
  const sourceMap = readSourceMap(url)
  sourceMaps.set(url, sourceMap)
  return sourceMap
}

function readSourceMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')))
  } catch {
    return null
  }
}
