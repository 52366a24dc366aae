export default {
  globalSetup: './global-setup.js',
  globalTeardown: './global-teardown.js',
  transform: {},
}
