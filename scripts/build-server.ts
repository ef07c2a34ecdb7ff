/**
 * Bundles the server and the operator's commands into dist/server, with the chunks that they share
 * or load on demand, and the thread that hashes files. Native modules stay packages.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const serverDir = join(root, 'src/server')

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: join(root, 'dist/server'),
    target: 'node24',
    sourcemap: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // pg loads pg-native only if it is installed.
      external: ['sharp', 'pg-native'],
      input: {
        start: join(serverDir, 'main.ts'),
        add: join(root, 'scripts/add.ts'),
        backup: join(root, 'scripts/backup.ts'),
        check: join(root, 'scripts/check.ts'),
        restore: join(root, 'scripts/restore.ts'),
        'hash-thread': join(serverDir, 'storage/disk/hash-thread.ts'),
      },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        codeSplitting: {
          groups: [
            // The hash thread loads its modules without the rest of the server.
            { name: 'hash-thread-modules', test: /\/disk\/file-system\.ts$/, priority: 2 },
            // What it takes to launch Postgres, which starts while the rest is being loaded.
            {
              name: 'boot',
              test: /\/server\/(boot\/(data-dir|shutdown)|config\/config|logging\/log)\.ts$/,
              priority: 1,
            },
            { name: 'shared', tags: ['$initial'], minShareCount: 2 },
            { name: 'aws', test: /\/node_modules\/@(aws|smithy)/ },
          ],
        },
        // With other characters, Node would keep the whole file at two bytes per character.
        charset: 'ascii',
        // Only positions are looked up.
        sourcemapExcludeSources: true,
        // Names stay as they are, for stack traces.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      },
    },
  },
})
