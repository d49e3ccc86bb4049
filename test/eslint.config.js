import tseslint from 'typescript-eslint';

/** Refuses imports by pattern; each message says what to do instead. */
const boundary = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

const nodeBuiltins = {
  regex: '^(node:|(fs|net|tls|http|https|crypto|child_process|os|path|dns)(/|$))',
  message: 'Workflow and domain code is deterministic: do input and output in an activity.',
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.data/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: `${import.meta.dirname}/..` },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always'],
      'max-lines': ['error', { max: 400 }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
    },
  },
  {
    files: ['src/domain/**/*.ts'],
    rules: boundary(nodeBuiltins, {
      regex: '^(\\.\\./|@temporalio/|hono|drizzle-orm|postgres$|undici|pino)',
      message: 'The domain is pure: it imports nothing but its own folder (and zod).',
    }),
  },
  {
    files: ['workflows/**/*.ts'],
    rules: boundary(nodeBuiltins, {
      regex:
        '^(\\.\\./src/(?!domain/)|@temporalio/(?!workflow|common)|hono|drizzle-orm|postgres$|undici|pino|zod)',
      allowTypeImports: true,
      message: 'Workflows import @temporalio/workflow, src/domain and types only.',
    }),
  },
  {
    files: ['src/api/**/*.ts'],
    rules: boundary({
      regex: '^(drizzle-orm|postgres$|@temporalio/)',
      message: 'Routes call verbs and queries; SQL and Temporal live behind them.',
    }),
  },
  {
    files: ['src/demo/receiver/**/*.ts'],
    rules: boundary({
      regex: '^\\.\\./\\.\\./',
      message: 'The receiver verifies as a customer would: it shares no code with the sender.',
    }),
  },
  {
    files: ['test/**/*.config.{js,ts}', 'test/global-setup.ts', 'drizzle/drizzle.config.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
