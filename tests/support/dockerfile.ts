import { execFile } from 'node:child_process'
import { cp, glob, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A line of a Dockerfile, such as COPY, and the rest of the line. */
export interface Step {
  instruction: string
  text: string
}

export interface Stage {
  /** The name after AS. Empty for the last stage. */
  name: string
  steps: Step[]
}

export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    if (instruction === 'FROM') stages.push({ name: / AS (\w+)$/.exec(rest)?.[1] ?? '', steps: [] })
    else stages.at(-1)?.steps.push({ instruction, text: rest })
  }
  return stages
}

/** Where the steps of a build run: each stage has a folder in place of an image's root. */
interface Build {
  /** The folder that `docker build` gets. */
  context: string
  stageFolder(name: string): string
  environment: NodeJS.ProcessEnv
}

/**
 * Runs the WORKDIR, COPY and RUN steps of a stage in its folder. Other steps only describe the
 * image.
 */
export async function runSteps(
  { name, steps }: Stage,
  { context, stageFolder, environment }: Build,
): Promise<void> {
  const folder = stageFolder(name)
  let workingDir = folder
  for (const { instruction, text } of steps) {
    if (instruction === 'WORKDIR') {
      workingDir = join(folder, text)
      await mkdir(workingDir, { recursive: true })
    }
    if (instruction === 'RUN') {
      await promisify(execFile)('sh', ['-ec', text], { cwd: workingDir, env: environment })
    }
    if (instruction === 'COPY') {
      const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? []
      await copy(from === undefined ? context : stageFolder(from), paths.split(' '), workingDir)
    }
  }
}

/** Copies files into `target/` or to `target`, and the content of a folder to `target`. */
async function copy(root: string, paths: string[], workingDir: string): Promise<void> {
  const target = paths.at(-1) ?? ''
  for (const pattern of paths.slice(0, -1)) {
    for await (const path of glob(pattern.replace(/^\//, ''), { cwd: root })) {
      const name = target.endsWith('/') ? join(target, path.split('/').at(-1) ?? '') : target
      await cp(join(root, path), join(workingDir, name), {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
  }
}
