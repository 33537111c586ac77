// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * An I2C adapter with one display-like slave that takes every write and remembers it.
 *
 * /sys/kernel/debug/i2c-panel/
 *   log     what was written, oldest first: records of u64 time (CLOCK_MONOTONIC, ns), u16 length, the bytes; little
 *           endian. Writing a number to it drops that many bytes from its beginning.
 *   lost    messages that found the log full
 *   address the slave's address; all others do not acknowledge (ENXIO)
 *   error   an errno that every transfer fails with; 0: none
 *   khz     clock of the bus: a transfer takes as long as its bits; 0: no time at all
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define LOG_BYTES (4u << 20)
#define HEAD_BYTES 10u

static DEFINE_MUTEX(panel_lock);
static u8 *panel_log;
static size_t panel_used;
static u32 panel_lost, panel_address = 0x3c, panel_error, panel_khz = 400;
static struct dentry *panel_folder;

static void panel_keep(const struct i2c_msg *message)
{
	u64 now = ktime_get_ns();
	u16 length = message->len;

	if (panel_used + HEAD_BYTES + length > LOG_BYTES) {
		panel_lost++;
		return;
	}
	memcpy(panel_log + panel_used, &now, sizeof(now));
	memcpy(panel_log + panel_used + sizeof(now), &length, sizeof(length));
	memcpy(panel_log + panel_used + HEAD_BYTES, message->buf, length);
	panel_used += HEAD_BYTES + length;
}

static int panel_transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	u32 bits = 0, khz;
	int i, result = count;

	mutex_lock(&panel_lock);
	khz = panel_khz;
	for (i = 0; i < count; i++) {
		if (panel_error) {
			result = -(int)panel_error;
			break;
		}
		if (messages[i].addr != panel_address) {
			result = -ENXIO;
			break;
		}
		bits += 9 * (messages[i].len + 1) + 2;
		if (messages[i].flags & I2C_M_RD)
			memset(messages[i].buf, 0, messages[i].len);
		else
			panel_keep(&messages[i]);
	}
	mutex_unlock(&panel_lock);
	if (khz && bits) {
		u32 us = bits * 1000 / khz;

		usleep_range(us, us + us / 8 + 50);
	}
	return result;
}

static u32 panel_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm panel_algorithm = {
	.master_xfer = panel_transfer,
	.functionality = panel_functionality,
};

static struct i2c_adapter panel_adapter = {
	.owner = THIS_MODULE,
	.algo = &panel_algorithm,
	.name = "rig display bus",
	/* A number that no other adapter of the virtual board has. */
	.nr = 7,
};

static ssize_t panel_read(struct file *file, char __user *target, size_t count, loff_t *offset)
{
	ssize_t result;

	mutex_lock(&panel_lock);
	result = simple_read_from_buffer(target, count, offset, panel_log, panel_used);
	mutex_unlock(&panel_lock);
	return result;
}

static ssize_t panel_drop(struct file *file, const char __user *source, size_t count, loff_t *offset)
{
	unsigned long bytes;
	int result = kstrtoul_from_user(source, count, 0, &bytes);

	if (result)
		return result;
	mutex_lock(&panel_lock);
	if (bytes > panel_used)
		bytes = panel_used;
	memmove(panel_log, panel_log + bytes, panel_used - bytes);
	panel_used -= bytes;
	mutex_unlock(&panel_lock);
	return count;
}

static const struct file_operations panel_files = {
	.owner = THIS_MODULE,
	.read = panel_read,
	.write = panel_drop,
	.llseek = default_llseek,
};

static int __init panel_init(void)
{
	int result;

	panel_log = kvzalloc(LOG_BYTES, GFP_KERNEL);
	if (!panel_log)
		return -ENOMEM;
	result = i2c_add_numbered_adapter(&panel_adapter);
	if (result) {
		kvfree(panel_log);
		return result;
	}
	panel_folder = debugfs_create_dir("i2c-panel", NULL);
	debugfs_create_file("log", 0600, panel_folder, NULL, &panel_files);
	debugfs_create_u32("lost", 0600, panel_folder, &panel_lost);
	debugfs_create_u32("address", 0600, panel_folder, &panel_address);
	debugfs_create_u32("error", 0600, panel_folder, &panel_error);
	debugfs_create_u32("khz", 0600, panel_folder, &panel_khz);
	return 0;
}

static void __exit panel_exit(void)
{
	debugfs_remove_recursive(panel_folder);
	i2c_del_adapter(&panel_adapter);
	kvfree(panel_log);
}

module_init(panel_init);
module_exit(panel_exit);
MODULE_DESCRIPTION("I2C adapter with an observable display");
MODULE_LICENSE("GPL");
