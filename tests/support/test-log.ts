export interface LogLine extends Record<string, unknown> {
  level: number
  msg: string
}

/** A pino destination that appends every log line to `lines`. */
export function logCollector(lines: LogLine[]) {
  return {
    write(line: string) {
      lines.push(JSON.parse(line))
    },
  }
}
