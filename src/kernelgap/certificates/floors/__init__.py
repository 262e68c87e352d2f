"""What no kernel gets under: bounds for any kernel, and the least risk of one."""
